import { ggufFile, type GgufTensor, type GgufValue } from './gguf';

/**
 * A model of the llama architecture that fits in a few hundred kilobytes and knows one sentence by heart.
 *
 * Every piece of text has a random code of +1 and -1. What comes after a piece is found by comparing its code with the sum of
 * the codes that stand before each candidate, so the last piece alone decides the next. The layers are random too, but their
 * outputs are multiplied by zero. A real server loads such a file, runs it, and speaks its real protocol; that the
 * words are known beforehand makes the answers the same every time, and makes it call a tool at all.
 */

/** Length of a code. 96 signs tell some 300 pieces apart with a wide margin. */
const WIDTH = 96;
const HEADS = 4;
const FEED_FORWARD = 32;
/** How much likelier the right piece is than any other: exp(24 * (1 - noise)). */
const CERTAINTY = 24;
/** The piece that ends the prompt of every turn. */
const LINE_BREAK = '<0x0A>';
const END = '<|im_end|>';

/** Kinds of pieces in a SentencePiece vocabulary. */
const KIND = { normal: 1, unknown: 2, control: 3, byte: 6 };

/**
 * How a conversation becomes the text of a prompt, in the words of the ChatML and Hermes models: servers recognise from it
 * how a call is written.
 */
const TEMPLATE = [
  `{%- if tools %}<|im_start|>system\n`,
  `# Tools\n\nYou may call one or more functions. They are given within <tools></tools> tags:\n<tools>`,
  `{%- for tool in tools %}\n{{ tool | tojson }}{%- endfor %}\n</tools>\n\n`,
  `For each call, return a json object within <tool_call></tool_call> tags:\n`,
  `<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>${END}\n{% endif %}`,
  `{%- for message in messages %}`,
  `{%- if message.role == "tool" %}<|im_start|>user\n<tool_response>\n{{ message.content }}\n</tool_response>${END}\n`,
  `{%- else %}<|im_start|>{{ message.role }}\n`,
  `{%- if message.reasoning_content %}<think>\n{{ message.reasoning_content }}\n</think>\n\n{%- endif %}`,
  `{{ message.content or "" }}`,
  `{%- for call in message.tool_calls or [] %}\n<tool_call>\n`,
  `{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}\n</tool_call>{%- endfor %}`,
  `${END}\n{% endif %}`,
  `{%- endfor %}`,
  `{%- if add_generation_prompt %}<|im_start|>assistant\n{% endif %}`,
].join('');

export interface TinyModelOptions {
  /** What it says, piece by piece; no piece may occur twice. A space at the start of a piece belongs to it. */
  says: readonly string[];
  /** Says it over and over instead of ending. */
  forever?: boolean;
  /** Tokens of prompt and answer that it was "trained" for. */
  contextTokens: number;
}

/** The bytes of the model file. The same options give the same bytes. */
export function tinyModel({ says, forever = false, contextTokens }: TinyModelOptions): Buffer {
  const pieces = vocabulary(says);
  const next = new Map<string, string>();
  const chain = [LINE_BREAK, ...says];
  chain.forEach((piece, at) => {
    next.set(piece, chain[at + 1] ?? (forever ? (says[0] ?? END) : END));
  });
  if (next.size !== chain.length) throw new Error('A piece occurs twice.');
  return ggufFile(metadata(pieces, contextTokens), tensors(pieces, next));
}

interface Piece {
  text: string;
  kind: number;
}

function vocabulary(says: readonly string[]): Piece[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase());
  return [
    { text: '<unk>', kind: KIND.unknown },
    { text: '<|im_start|>', kind: KIND.control },
    { text: END, kind: KIND.control },
    ...bytes.map((hex) => ({ text: `<0x${hex.padStart(2, '0')}>`, kind: KIND.byte })),
    ...says.map((text) => ({ text, kind: KIND.normal })),
  ];
}

function metadata(pieces: readonly Piece[], contextTokens: number): Record<string, GgufValue> {
  const count = (value: number): GgufValue => ({ type: 'uint32', value });
  const word = (value: string): GgufValue => ({ type: 'string', value });
  const end = pieces.findIndex(({ text }) => text === END);
  return {
    'general.architecture': word('llama'),
    'general.name': word('one sentence'),
    'general.file_type': count(0),
    'llama.context_length': count(contextTokens),
    'llama.embedding_length': count(WIDTH),
    'llama.block_count': count(1),
    'llama.feed_forward_length': count(FEED_FORWARD),
    'llama.attention.head_count': count(HEADS),
    'llama.attention.head_count_kv': count(HEADS),
    'llama.attention.layer_norm_rms_epsilon': { type: 'float32', value: 1e-5 },
    'llama.rope.dimension_count': count(WIDTH / HEADS),
    'llama.vocab_size': count(pieces.length),
    'tokenizer.ggml.model': word('llama'),
    'tokenizer.ggml.tokens': {
      type: 'strings',
      // SentencePiece writes a space as U+2581.
      value: pieces.map(({ text }) => text.replaceAll(' ', '\u2581')),
    },
    'tokenizer.ggml.scores': { type: 'floats', value: pieces.map(() => 0) },
    'tokenizer.ggml.token_type': { type: 'ints', value: pieces.map(({ kind }) => kind) },
    'tokenizer.ggml.bos_token_id': count(end),
    'tokenizer.ggml.eos_token_id': count(end),
    'tokenizer.ggml.unknown_token_id': count(0),
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.ggml.add_eos_token': { type: 'bool', value: false },
    'tokenizer.ggml.add_space_prefix': { type: 'bool', value: false },
    'tokenizer.chat_template': word(TEMPLATE),
  };
}

function tensors(pieces: readonly Piece[], next: ReadonlyMap<string, string>): GgufTensor[] {
  const random = generator(20);
  const signs = (length: number) => Float32Array.from({ length }, () => (random() < 0.5 ? -1 : 1));
  const noise = (length: number) => signs(length).map((sign) => sign * random() * 0.1);
  const rows = new Map(pieces.map(({ text }) => [text, signs(WIDTH)]));
  const scores = new Map(pieces.map(({ text }) => [text, new Float32Array(WIDTH)]));
  for (const [piece, following] of next) {
    const code = rows.get(piece);
    scores.get(following)?.forEach((_, at, score) => {
      score[at] = (score[at] ?? 0) + ((code?.[at] ?? 0) * CERTAINTY) / WIDTH;
    });
  }
  const matrix = (
    name: string,
    sizes: [number, number],
    fill: (length: number) => Float32Array,
  ) => ({
    name: `${name}.weight`,
    sizes,
    data: fill(sizes[0] * sizes[1]),
  });
  const ones = (name: string) => ({
    name: `${name}.weight`,
    sizes: [WIDTH],
    data: new Float32Array(WIDTH).fill(1),
  });
  const zeros = (length: number) => new Float32Array(length);
  const whole = (table: ReadonlyMap<string, Float32Array>) => () =>
    Float32Array.from([...table.values()].flatMap((row) => [...row]));
  return [
    matrix('token_embd', [WIDTH, pieces.length], whole(rows)),
    ones('blk.0.attn_norm'),
    matrix('blk.0.attn_q', [WIDTH, WIDTH], noise),
    matrix('blk.0.attn_k', [WIDTH, WIDTH], noise),
    matrix('blk.0.attn_v', [WIDTH, WIDTH], noise),
    matrix('blk.0.attn_output', [WIDTH, WIDTH], zeros),
    ones('blk.0.ffn_norm'),
    matrix('blk.0.ffn_gate', [WIDTH, FEED_FORWARD], noise),
    matrix('blk.0.ffn_up', [WIDTH, FEED_FORWARD], noise),
    matrix('blk.0.ffn_down', [FEED_FORWARD, WIDTH], zeros),
    ones('output_norm'),
    matrix('output', [WIDTH, pieces.length], whole(scores)),
  ];
}

/** Numbers from 0 up to 1 that look random and are the same in every run (a linear congruential generator, modulo 2^32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
