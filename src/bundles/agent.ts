export { runAgent } from '../lib/agent';
