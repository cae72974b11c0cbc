import * as z from 'zod/mini';

const Text = z.string();
const Tick = z.boolean();
const Server = z.enum(['ollama', 'openai-compatible', 'anthropic']);
const Provider = z.enum([
  'auto',
  'searxng',
  'brave',
  'tavily',
  'exa',
  'ollama',
  'wikipedia',
  'duckduckgo',
]);
const Titles = z.enum(['auto', 'always', 'never']);
const EvidenceLine = z.enum(['problems', 'always', 'never']);
const ContinueWithin = z.enum(['30', '240', 'always', 'never']);
/** Well formed, not known to be a language: the service says if it has none of that name. */
const Language = z.string().check(z.trim(), z.regex(/^(?:[a-z]{2,3}(?:[-_][a-z\d]{2,8}){0,3})?$/i));

/** Who searches; `auto` = the first that has its address or key, else Wikipedia. */
export type SearchProvider = z.infer<typeof Provider>;

/** Which protocol the model server speaks. */
export type ModelServerKind = z.infer<typeof Server>;

/** Which models are asked for the title of a conversation; `auto` = those on this machine or network. */
export type TitlesPreference = z.infer<typeof Titles>;

/** When the line about the evidence of an answer is shown; `problems` = when a quotation was not found word for word. */
type EvidenceLinePreference = z.infer<typeof EvidenceLine>;

/** For how many minutes after its last exchange a conversation is continued by a launch. */
type ContinueWithin = z.infer<typeof ContinueWithin>;

/** What a person has set, with a usable value in every field. */
export interface Preferences {
  modelServer: ModelServerKind;
  /** Base address of the model server as it was typed; empty = Ollama on this machine. */
  address: string;
  apiKey: string;
  /** Empty = the first installed model that can call tools. */
  model: string;
  searchProvider: SearchProvider;
  searxngUrl: string;
  braveKey: string;
  tavilyKey: string;
  exaKey: string;
  ollamaKey: string;
  /** A language tag such as `de` or `pt-BR`; empty = the system's. */
  searchLanguage: string;
  /** Absolute path of a folder whose documents may be searched; empty = none is set here. */
  documents: string;
  /** Finds documents by meaning too; empty = by words alone. */
  embeddingModel: string;
  extraInstructions: string;
  place: string;
  showToolCalls: boolean;
  showReasoning: boolean;
  /** Draws the images of an answer, which loads each from the address that the answer names. */
  remoteImages: boolean;
  evidenceLine: EvidenceLinePreference;
  titles: TitlesPreference;
  continueWithin: ContinueWithin;
  /** Begins with the text that is selected in another window, as a quote. */
  quoteSelection: boolean;
  /** False = nothing is searched or read, unless a question asks for it. */
  webTools: boolean;
}

export interface ReadPreferences {
  preferences: Preferences;
  /** One sentence for each value that could not be used. */
  problems: string[];
}

/**
 * Reads the launcher's preference values, field by field: a value of the wrong type falls back to its default and is
 * named in `problems`, because a settings file edited by hand must not stop the chat.
 */
export function readPreferences(raw: unknown): ReadPreferences {
  const problems: string[] = [];
  const values = z.record(z.string(), z.unknown()).safeParse(raw);
  const given = values.success ? values.data : {};

  function field<T>(name: string, title: string, schema: z.ZodMiniType<T>, fallback: T): T {
    const value = given[name];
    if (value === undefined || value === null) return fallback;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    problems.push(`The preference "${title}" holds a value Lam cannot use; the default is used.`);
    return fallback;
  }
  const text = (name: string, title: string) => field(name, title, Text, '').trim();

  const modelServer = field('modelServer', 'Model Server', Server, 'ollama');
  return {
    preferences: {
      modelServer,
      address: text('address', 'Server Address'),
      apiKey: text('apiKey', 'API Key'),
      model: text('model', 'Model'),
      searchProvider: field('searchProvider', 'Search Provider', Provider, 'auto'),
      searxngUrl: text('searxngUrl', 'SearXNG Address'),
      braveKey: text('braveKey', 'Brave Key'),
      tavilyKey: text('tavilyKey', 'Tavily Key'),
      exaKey: text('exaKey', 'Exa Key'),
      ollamaKey: text('ollamaKey', 'Ollama Key'),
      searchLanguage: field('searchLanguage', 'Search Language', Language, ''),
      documents: text('documents', 'Documents Folder'),
      embeddingModel: text('embeddingModel', 'Embedding Model'),
      extraInstructions: text('extraInstructions', 'Extra Instructions'),
      place: text('place', 'Where I Am'),
      showToolCalls: field('showToolCalls', 'Tool Calls', Tick, false),
      showReasoning: field('showReasoning', 'Reasoning', Tick, false),
      remoteImages: field('remoteImages', 'Images', Tick, false),
      evidenceLine: field('evidenceLine', 'Evidence Line', EvidenceLine, 'problems'),
      titles: field('titles', 'Titles', Titles, 'auto'),
      continueWithin: field(
        'continueWithin',
        'Continue the Last Conversation',
        ContinueWithin,
        '30',
      ),
      quoteSelection: field('quoteSelection', 'Selected Text', Tick, false),
      webTools: field('webTools', 'Web', Tick, true),
    },
    problems,
  };
}

/** Milliseconds after its last exchange in which a launch goes on with a conversation; 0 = it never does. */
export function continueWithinMs(value: Preferences['continueWithin']): number {
  switch (value) {
    case 'always':
      return Infinity;
    case 'never':
      return 0;
    case '30':
    case '240':
      return Number(value) * 60_000;
  }
}
