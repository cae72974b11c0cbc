import { parse, postprocess, preprocess } from 'micromark';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';

const extensions = [gfmTable(), gfmStrikethrough()];

/** The parser alone, with the launcher's dialect: the least that any pipeline on it costs. */
export const bareParse = (text: string): unknown =>
  postprocess(
    parse({ extensions })
      .document()
      .write(preprocess()(text, undefined, true)),
  );
