/** The code of the Wikipedia for a language tag as the system has it: `de_DE.UTF-8` → `de`; what is no tag → `en`. */
export function wikipediaLanguage(tag: string): string {
  return /^([a-z]{2,3})(?:[-_.@]|$)/i.exec(tag.trim())?.[1]?.toLowerCase() ?? 'en';
}
