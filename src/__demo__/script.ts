import * as z from 'zod/mini';

import { words, type FixedStep, type Step } from '../__tests__/support/model-server';

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.nullish(z.string()) })),
});

/** The number under which the model was shown a page, as a real model would read it from its tool results. */
function numberOf(body: unknown, title: string): string {
  const text = Request.parse(body)
    .messages.map(({ content }) => content ?? '')
    .join('\n');
  const found = new RegExp(`\\[(\\d+)\\] ${title}`).exec(text)?.[1];
  if (found === undefined) throw new Error(`The model was never shown “${title}”.`);
  return `[${found}]`;
}

/** Milliseconds between two words, so that a person sees the answer stream. */
const PACE_MS = 12;

const GROWING = 'Growing tea on Verdel';
const HARVEST = 'The Verdel harvest calendar';
const BREWING = 'Brewing Verdel tea';
const HISTORY = 'How tea came to Verdel';

const search = (query: string): FixedStep => ({
  calls: [{ name: 'web_search', arguments: { query } }],
});

/** An answer that is written from what the model was shown: `cite` gives the marker of a page. */
const answer =
  (write: (cite: (title: string) => string) => string): Step =>
  (request) => ({
    text: words(write((title) => numberOf(request.body, title))),
    delayMs: PACE_MS,
    usage: { inputTokens: 2100, outputTokens: 160 },
  });

/** The rest of an answer that was cut off: what the model is shown of its own text is not written again. */
const rest =
  (write: (cite: (title: string) => string) => string): Step =>
  (request) => {
    const whole = write((title) => numberOf(request.body, title));
    const begun = Request.parse(request.body)
      .messages.filter(({ role }) => role === 'assistant')
      .map(({ content }) => content ?? '')
      .findLast((content) => content !== '' && whole.startsWith(content.trimEnd()));
    return { text: words(whole.slice(begun?.trimEnd().length ?? 0)), delayMs: PACE_MS };
  };

export const QUESTIONS = {
  first: 'How is tea grown on Verdel, and when is it picked?',
  followUp: 'How should I brew the first flush?',
  closed: 'How did tea come to the island in the first place?',
  unloaded: 'Describe the three gardens one by one.',
} as const;

const threeGardens = (cite: (title: string) => string): string => `There are three ${cite(GROWING)}.

- **Low Terrace**, 180 m: the warmest, with 22 hectares the largest, and the first to be picked.
- **Chapel Slope**, 390 m: 17 hectares above the harbour chapel.
- **Cloud Garden**, 640 m: nine hectares that stand in fog for most of the night ${cite(GROWING)}.

Together they make up the 48 hectares of the island ${cite(GROWING)}.`;

/** What the scripted model does for the demo: it searches, reads two pages at once, cites, and is cut off once. */
export function demoScript(origin: string): Step[] {
  return [
    {
      reasoning: words('The person asks about a small island; I should look it up.'),
      calls: [{ name: 'web_search', arguments: { query: 'Verdel tea growing harvest' } }],
      delayMs: PACE_MS,
    },
    {
      calls: [
        { name: 'web_fetch', arguments: { url: `${origin}/growing` } },
        { name: 'web_fetch', arguments: { url: `${origin}/harvest-calendar` } },
      ],
      delayMs: PACE_MS,
    },
    answer(
      (
        cite,
      ) => `Tea on Verdel grows on **terraces between 180 and 640 metres**, on slightly acid basalt ${cite(GROWING)}. Sea fog waters it on some 140 mornings a year, which keeps the leaves slow and sweet ${cite(GROWING)}.

The harvest comes in four flushes ${cite(HARVEST)}:

| Flush | Starts | Share |
|---|---|---|
| First | second week of April | 18 % |
| Second | early June | 34 % |
| Fog flush | late July | 29 % |
| Autumn | mid September | 19 % |

Each hundred metres of height delays the buds by about five days, so $\\Delta t \\approx 5\\,\\mathrm{d} \\cdot \\frac{\\Delta h}{100\\,\\mathrm{m}}$: the highest garden follows 24 days after the lowest ${cite(HARVEST)}.`,
    ),
    search('brewing Verdel tea first flush'),
    answer(
      (
        cite,
      ) => `With water at **85 °C**: boiling water makes the first flush bitter within a minute ${cite(BREWING)}. That is the flush picked from the second week of April ${cite(HARVEST)}.

1. Warm the pot.
2. Take 3 grams of leaf for 200 ml.
3. Wait three minutes, then pour it off to the last drop ${cite(BREWING)}.`,
    ),
    search('history of tea on Verdel'),
    answer(
      (cite) =>
        `The surveyor Ilse Marant planted forty seedlings behind the harbour chapel in 1781, and nine of them lived through the first winter ${cite(HISTORY)}. For two generations tea stayed a curiosity beside salt and wool. In 1846 the salt pans silted up, and the council offered free hillside to anybody who would plant it with tea ${cite(HISTORY)}. The Gardeners' League followed in 1903; 31 families belong to it today ${cite(HISTORY)}.`,
    ),
    search('Verdel gardens altitude'),
    answer(threeGardens),
    rest(threeGardens),
  ];
}
