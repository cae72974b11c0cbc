export { createModelServer } from '../host/providers/server';
export { runSetupCheck } from '../host/setup/run';
export { titleFor } from '../host/title';
