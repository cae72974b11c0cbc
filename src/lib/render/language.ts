/** What a language name can hold. The pane draws the whole info string as a label in which markup acts. */
const NAME = /^[\w+#.-]{1,30}$/;

/** `js`, `c++`, `js {1,3}`, `js:src/app.js`, `js,ignore`: the first word, unless it goes on with something no name holds. */
const FIRST_WORD = /^[\w+#.-]{1,30}(?![^\s:{,;])/;

/** `src/app.ts`, `12:15:src/lib/app.ts`: a path, with lines before or behind it. */
const PATH = /^(?:\d+:)*(?:[\w.@~+-]*\/)+([\w.+-]+)(?::\d+(?:-\d+)?)*(?=\s|$)/;

/** Ends of file names that are names of languages too, so that `app.ts` is one and `vb.net` stays a name. */
const FILE =
  /^[\w-]+\.(bash|c|cc|cpp|cs|css|go|h|hpp|html|ini|java|js|json|jsx|kt|lua|md|mjs|php|pl|py|rb|rs|scala|scss|sh|sql|swift|toml|ts|tsx|vue|xml|ya?ml|zsh)$/i;

/** `{python}`, `{.python .numberLines}`, `{#listing .python}`, `{r, echo=FALSE}`, `{=html}`. */
function attributeLanguage(attributes: string): string {
  const [first = '', ...rest] = attributes.split(/[\s,]+/).filter((word) => word !== '');
  const named = [first, ...rest].find((word) => word.startsWith('.'));
  return (named ?? first).replace(/^[.=]/, '');
}

/**
 * The language of a fence: from its info string, as models and the tools they learnt from write it, to a name in
 * `[\w+#.-]{0,30}`; '' for none. Letter case stays as written, because the launcher looks names up.
 */
export function fenceLanguage(info: string): string {
  const written = info.trim();
  const attributes = /^\{([^{}]*)\}/.exec(written)?.[1];
  if (attributes !== undefined) {
    const language = attributeLanguage(attributes);
    return NAME.test(language) ? language : '';
  }
  const file = PATH.exec(written)?.[1];
  if (file !== undefined) {
    const end = /\.(\w{1,10})$/.exec(file)?.[1] ?? file;
    return NAME.test(end) ? end : '';
  }
  const word = FIRST_WORD.exec(written)?.[0] ?? '';
  const name = word.replace(/^lang(?:uage)?-\b/i, '').replace(/^(diff)-\w+$/i, '$1');
  return FILE.exec(name)?.[1] ?? name;
}
