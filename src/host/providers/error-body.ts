import * as z from 'zod/mini';

import { maybe, parseJson } from './lenient';

/** What a server said about a failure, whatever shape it said it in. */
export interface ErrorDetails {
  /** The server's own words; '' if there were none. */
  message: string;
  /** Machine-readable codes and types, lower case, for example `model_not_found`. */
  codes: string[];
  /** An HTTP status inside the body, as gateways send for errors in mid-stream. */
  status?: number;
}

const CodeSchema = maybe(z.union([z.string(), z.number()]));

const InnerSchema = z.object({
  message: maybe(z.string()),
  type: maybe(z.string()),
  code: CodeSchema,
  status: CodeSchema,
  // OpenRouter: the words of the server behind it.
  metadata: maybe(z.object({ raw: maybe(z.string()) })),
});

const BodySchema = z.object({
  error: z.optional(z.unknown()),
  message: maybe(z.string()),
  // FastAPI.
  detail: z.optional(z.unknown()),
  type: maybe(z.string()),
  code: CodeSchema,
});

/** Reads the body of an error answer. Undefined = no JSON object, so probably not such an API at all. */
export function parseErrorBody(body: string): ErrorDetails | undefined {
  const json = parseJson(body.trim());
  // Google's gateway wraps the object in an array.
  return readErrorObject(Array.isArray(json) ? (json as unknown[])[0] : json);
}

/**
 * Finds the error in a JSON value: `{"error":{message,type,code}}` (OpenAI), `{"error":"…"}` (Ollama, LM Studio),
 * `{"object":"error","message":…}` (vLLM, Mistral), `{"detail":…}` (FastAPI). Undefined if the value is no object.
 */
export function readErrorObject(json: unknown): ErrorDetails | undefined {
  const parsed = BodySchema.safeParse(json);
  if (!parsed.success) return undefined;
  const { error, message, detail, type, code } = parsed.data;
  const inner = InnerSchema.safeParse(error);
  const within = inner.success ? inner.data : undefined;
  const codes = [within?.code, within?.type, within?.status, code, type];
  const text =
    typeof error === 'string'
      ? error
      : withRaw(within?.message, within?.metadata?.raw) || message || detailText(detail);
  const details: ErrorDetails = {
    message: text,
    codes: codes.flatMap((value) => (typeof value === 'string' ? [value.toLowerCase()] : [])),
  };
  const status = codes.map(Number).find((value) => value >= 400 && value < 600);
  if (status !== undefined) details.status = status;
  return details;
}

function withRaw(message: string | undefined, raw: string | undefined): string {
  if (!message) return raw ?? '';
  if (!raw) return message;
  const nested = readErrorObject(parseJson(raw));
  return `${message}: ${nested?.message || raw}`;
}

function detailText(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  return detail === undefined || detail === null ? '' : JSON.stringify(detail);
}
