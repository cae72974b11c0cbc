/**
 * Writes a model file in GGUF, version 3: a header, typed key-value pairs, a table of tensors, and their numbers, each at a
 * multiple of 32 bytes. Little-endian throughout. The format is described in the documents of the ggml library.
 */

/** A value of a key. Integers are 32 bits wide. */
export type GgufValue =
  | { type: 'uint32'; value: number }
  | { type: 'float32'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'string'; value: string }
  | { type: 'strings'; value: readonly string[] }
  | { type: 'floats'; value: readonly number[] }
  | { type: 'ints'; value: readonly number[] };

/** A tensor of 32-bit floats. The first size is that of a row: its numbers lie side by side. */
export interface GgufTensor {
  name: string;
  sizes: readonly number[];
  data: Float32Array;
}

const ALIGNMENT = 32;
const VERSION = 3;
/** Numbers of the value types in the format. */
const TYPES = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 };
/** The tensor type of 32-bit floats. */
const F32 = 0;

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};

const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const float32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.byteLength), bytes]);
};

function array<T>(type: number, values: readonly T[], write: (value: T) => Buffer): Buffer {
  return Buffer.concat([
    uint32(TYPES.array),
    uint32(type),
    uint64(values.length),
    ...values.map(write),
  ]);
}

/** The number of the type, and the value. */
function typed(entry: GgufValue): Buffer {
  switch (entry.type) {
    case 'uint32':
      return Buffer.concat([uint32(TYPES.uint32), uint32(entry.value)]);
    case 'float32':
      return Buffer.concat([uint32(TYPES.float32), float32(entry.value)]);
    case 'bool':
      return Buffer.concat([uint32(TYPES.bool), Buffer.from([entry.value ? 1 : 0])]);
    case 'string':
      return Buffer.concat([uint32(TYPES.string), text(entry.value)]);
    case 'strings':
      return array(TYPES.string, entry.value, text);
    case 'floats':
      return array(TYPES.float32, entry.value, float32);
    case 'ints':
      return array(TYPES.int32, entry.value, int32);
  }
}

const padding = (length: number): Buffer =>
  Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT);

/** The bytes of a model file. */
export function ggufFile(
  values: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Buffer {
  const entries = Object.entries(values);
  const head: Buffer[] = [
    Buffer.from('GGUF'),
    uint32(VERSION),
    uint64(tensors.length),
    uint64(entries.length),
    ...entries.flatMap(([key, value]) => [text(key), typed(value)]),
  ];
  const data: Buffer[] = [];
  let offset = 0;
  for (const tensor of tensors) {
    head.push(text(tensor.name), uint32(tensor.sizes.length), ...tensor.sizes.map(uint64));
    head.push(uint32(F32), uint64(offset));
    const bytes = Buffer.concat(Array.from(tensor.data, float32));
    data.push(bytes, padding(bytes.byteLength));
    offset += bytes.byteLength + padding(bytes.byteLength).byteLength;
  }
  const header = Buffer.concat(head);
  return Buffer.concat([header, padding(header.byteLength), ...data]);
}
