import type { ListAnswer } from '@panel/client';

export async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of pages) items.push(item);
  return items;
}

export async function readLastPage<T>(readPage: (page: number) => Promise<ListAnswer<T>>): Promise<readonly T[]> {
  const { data, meta } = await readPage(1);
  return meta.total_pages > 1 ? (await readPage(meta.total_pages)).data : data;
}
