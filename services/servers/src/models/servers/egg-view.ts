import { LRUCache } from 'lru-cache';
import type { EggSnapshot, ServerView } from '../../domain/servers/server.js';

/** What a server is shown with of its egg. */
type EggView = ServerView['egg'];

/** Installations have some dozens of eggs, each in few versions. */
const maxParsed = 500;

/** The part of an egg that is shown, as the text that is stored beside the egg by the same write. */
export function encodeEggView({ name, startupCommands, variables }: EggSnapshot): string {
  return JSON.stringify({ name, startupCommands, variables } satisfies EggView);
}

/**
 * Reads such texts. Servers of one egg have the same text, and a page of 25 servers a hundred variables of seven fields:
 * to decode them one by one took more than all the rest of the page. What a text means never changes, so a parsed text
 * is kept, within a bound, and shared by all readers: it must not be changed.
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
