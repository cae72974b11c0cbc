import { ConversationsCommand } from './views/commands';

export default ConversationsCommand;
