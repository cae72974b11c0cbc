import { inertText, plain, type PlainText } from '../lib/render';
import type { ModelInfo } from '../lib/types';

/** Models of one maker, or all of a server that names no makers. */
export interface ModelGroup {
  title: PlainText;
  models: ModelInfo[];
}

/**
 * The models by their maker, where the server says it (`mistral/small` on OpenRouter and the like), else all under the name
 * of the server. In the order of the server, groups in that of their first model.
 *
 * @param serverName as it is shown: `Ollama`, `api.openai.com`
 */
export function modelGroups(models: readonly ModelInfo[], serverName: string): ModelGroup[] {
  const makers = new Set(models.map(makerOf));
  // One maker is no order: a file path, or a server of that maker.
  const byMaker = makers.size > 1 && !makers.has('');
  const groups = new Map<string, ModelInfo[]>();
  for (const model of models) {
    const name = byMaker ? makerOf(model) : serverName;
    const group = groups.get(name) ?? [];
    group.push(model);
    groups.set(name, group);
  }
  return [...groups].map(([title, group]) => ({ title: inertText(title), models: group }));
}

const makerOf = ({ id }: ModelInfo): string => /^([^/]+)\/./u.exec(id)?.[1] ?? '';

/** Characters of a model's name; the dropdown of the search bar shows about thirty. */
const MAX_NAME_CHARS = 60;

/** `qwen3:8b`, `gemma3:4b (no tools)`: how a model stands in a list. */
export function modelTitle({ id, canCallTools }: ModelInfo): PlainText {
  const name = inertText(id, MAX_NAME_CHARS);
  return canCallTools === false ? plain`${name} (no tools)` : name;
}

/** What a model can do, in the few words beside its row: `sees images`, `32k context`. */
export function modelFacts({ canSeeImages, contextTokens }: ModelInfo): PlainText[] {
  return [
    ...(canSeeImages === true ? [plain`sees images`] : []),
    ...(contextTokens === undefined ? [] : [plain`${Math.round(contextTokens / 1024)}k context`]),
  ];
}

/** Entries of the dropdown: each is shipped with every frame of an answer. The list of all models has the rest. */
const MAX_ENTRIES = 40;

/** The models of the dropdown: the first of the server's, and always the one that is asked. */
export function dropdownModels(
  models: readonly ModelInfo[],
  current: string,
): { shown: ModelInfo[]; more: number } {
  const first = models.slice(0, MAX_ENTRIES);
  const listed = models.find(({ id }) => id === current);
  if (current === '' || (listed !== undefined && first.includes(listed)))
    return { shown: first, more: models.length - first.length };
  const others = first.slice(0, MAX_ENTRIES - 1);
  // A model that is set need not be on the list; then it takes the place of one that is.
  const more = models.length - others.length - (listed === undefined ? 0 : 1);
  return { shown: [listed ?? { id: current }, ...others], more };
}
