import { DocumentsCommand } from './views/documents/command';

export default DocumentsCommand;
