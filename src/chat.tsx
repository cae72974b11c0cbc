import { ChatCommand } from './views/commands';

export default ChatCommand;
