import { beforeEach } from 'vitest';

import { putPapers, type Papers } from './document-fixtures';
import { stages } from './stages';
import { tempFolders } from './temp-folder';

/** What a test about a person's documents starts from. */
interface PapersStage {
  tempFolder: ReturnType<typeof tempFolders>;
  stage: ReturnType<typeof stages>;
  /** Those of the test that runs. */
  papers: Papers & {
    /** Where the folder lies, which says whose it is: no model may be told. */
    readonly around: string;
  };
}

/** Stages, and a new folder of papers for each test of the file that calls this; they are gone after it. */
export function papersStages(): PapersStage {
  // Cleaned up in reverse order: the stages must end before their folders go.
  const tempFolder = tempFolders();
  const stage = stages();
  let folder = '';
  let current: Papers;
  beforeEach(() => {
    folder = tempFolder();
    current = putPapers(folder);
  });
  return {
    tempFolder,
    stage,
    papers: {
      get path() {
        return current.path;
      },
      get around() {
        return folder;
      },
      file: (name) => current.file(name),
    },
  };
}
