import { LRUCache } from 'lru-cache';
import type { EggSnapshot, ServerView } from '../../domain/servers/server.js';

type EggView = ServerView['egg'];

/** Exceeds the usual number of eggs and versions. */
const maxParsed = 500;

/** The shown part, as text in the same write as the egg. */
export function encodeEggView({ name, startupCommands, variables }: EggSnapshot): string {
  return JSON.stringify({ name, startupCommands, variables } satisfies EggView);
}

/**
 * Caches parsed texts, which repeat across the servers of an egg: a page of 25 servers has hundreds of variables, and
 * their decoding exceeded all other work. Results are shared and must not be changed.
 */
export class EggViewReader {
  readonly #parsed = new LRUCache<string, EggView>({ max: maxParsed });

  read(text: string): EggView {
    const known = this.#parsed.get(text);
    if (known) return known;
    const parsed = JSON.parse(text) as EggView;
    this.#parsed.set(text, parsed);
    return parsed;
  }
}
