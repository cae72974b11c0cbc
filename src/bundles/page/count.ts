/** The line that stands for what a layout leaves out: `… 1,234 more rows`. */
export function moreOf(count: number, noun: string): string {
  return `… ${count.toLocaleString('en-US')} more ${noun}${count === 1 ? '' : 's'}`;
}
