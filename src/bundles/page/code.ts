/** Where highlighters write the language: `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
const LANGUAGE = /(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s?)([\w+#.-]{1,30})/;

/** Elements that put their content on a line of its own even inside `<pre>`, as some highlighters do. */
const LINES = new Set(['div', 'li', 'p', 'tr']);

/** The text of a `<pre>`, line ends kept, without the newline the parser would drop and without blanks at the end. */
export function preformatted(element: Element): string {
  let out = '';
  const walk = (parent: Element): void => {
    for (const node of parent.childNodes) {
      if (node.nodeType === 3) out += node.nodeValue ?? '';
      else if (node.nodeType === 1) {
        const child = node as Element; // nodeType 1 is an element by definition (DOM standard)
        if (child.localName === 'br') out += '\n';
        else {
          walk(child);
          if (LINES.has(child.localName) && !out.endsWith('\n')) out += '\n';
        }
      }
    }
  };
  walk(element);
  return out.replace(/\r\n?/g, '\n').replaceAll('\u00a0', ' ').replace(/^\n/, '').trimEnd();
}

/** The language of a code block as its page names it, or an empty string. */
export function codeLanguage(pre: Element): string {
  const code = pre.querySelector('code');
  const near = [code, pre, pre.parentElement, pre.parentElement?.parentElement ?? null];
  for (const element of near) {
    if (element === null) continue;
    const named = LANGUAGE.exec(element.className)?.[1] ?? element.getAttribute('data-lang');
    if (named !== null && /^[\w+#.-]{1,30}$/.test(named)) return named;
  }
  return '';
}
