import type { ListAnswer } from './endpoint.js';

/**
 * Every item of a list, page after page, each page asked for when its items are wanted. What is added or removed
 * meanwhile may be missed or seen twice.
 */
export async function* eachItem<T>(readPage: (page: number) => Promise<ListAnswer<T>>): AsyncGenerator<T, void> {
  for (let page = 1; ; page++) {
    const { data, meta } = await readPage(page);
    yield* data;
    if (page >= meta.total_pages || data.length === 0) return;
  }
}
