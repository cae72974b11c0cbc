export { createWebPorts } from '../host/web/web-ports';
