import { LRUCache } from 'lru-cache';
import type { EggSnapshot, ServerView } from '../../domain/servers/server.js';

type EggView = ServerView['egg'];

const maxParsed = 500;

/** Stored by the same write as the egg. */
export function encodeEggView({ name, startupCommands, variables }: EggSnapshot): string {
  return JSON.stringify({ name, startupCommands, variables } satisfies EggView);
}

/**
 * Servers of an egg share the text: without the cache decoding exceeded all other work of a page. Results must not be
 * changed.
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
