import type { Line, Piece } from './pieces';
import { join } from './pieces';
import type { TexNode } from './tree';
import { Unsayable } from './tree';

/** Says one kind of node as pieces of its row. */
export type Saying = (node: TexNode, say: Speaker) => Piece[];

/** Steps down the tree; a command and its braces are two. Formulas of people and models need under twenty; the parser overflows the stack near a thousand. */
const MAX_NESTING = 200;

interface Setting {
  /** In a script: no spaces around operators. */
  tight: boolean;
  /** The innermost font command, as the tree names it. */
  font: string | undefined;
}

/** Walks the tree with the table of sayings, carrying what a group inherits. */
export class Speaker {
  readonly tight: boolean;
  readonly font: string | undefined;
  readonly #sayings: ReadonlyMap<string, Saying>;
  readonly #depth: number;

  constructor(
    sayings: ReadonlyMap<string, Saying>,
    setting: Setting = { tight: false, font: undefined },
    depth = 0,
  ) {
    if (depth > MAX_NESTING) throw new Unsayable('nested too deeply');
    this.#sayings = sayings;
    this.#depth = depth;
    this.tight = setting.tight;
    this.font = setting.font;
  }

  /** The same walk with another setting. */
  with(change: Partial<Setting>): Speaker {
    const setting = { tight: this.tight, font: this.font, ...change };
    return new Speaker(this.#sayings, setting, this.#depth);
  }

  /** Once a node: a saying that asks twice for its children doubles the work with every level. */
  pieces(nodes: readonly TexNode[]): Piece[] {
    const inner = new Speaker(this.#sayings, this, this.#depth + 1);
    return nodes.flatMap((node) => {
      const saying = this.#sayings.get(node.type);
      if (saying === undefined) throw new Unsayable(node.type);
      return saying(node, inner);
    });
  }

  line(nodes: readonly TexNode[]): Line {
    return join(this.pieces(nodes), this.tight);
  }
}
