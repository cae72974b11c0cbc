import * as z from 'zod/mini';

const Request = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.union([z.string(), z.null(), z.array(z.looseObject({ type: z.string() }))]),
    }),
  ),
});
const ToolResult = z.object({ type: z.literal('tool_result'), content: z.string() });

/** What the model read as results of its calls in one request, oldest first; of the dialects of OpenAI, Ollama and Anthropic. */
export function toolResults(body: unknown): string[] {
  return Request.parse(body).messages.flatMap(({ role, content }) => {
    if (Array.isArray(content))
      return content.flatMap((block) => {
        const result = ToolResult.safeParse(block);
        return result.success ? [result.data.content] : [];
      });
    return role === 'tool' ? [content ?? ''] : [];
  });
}

/** The text of the page in a result, as it stands between the lines with the boundary. */
export function pageText(result: string): string {
  const [, , text] = /^<<<PAGE TEXT (\S+)\n([\s\S]*)\nPAGE TEXT \1>>>$/m.exec(result) ?? [];
  if (text === undefined) throw new Error(`There is no page text in: ${result.slice(0, 300)}`);
  return text;
}
