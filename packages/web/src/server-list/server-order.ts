/** How many servers keep a place of their own: preferences have little room. */
const maxPlaces = 300;

/** In the order of their ids in `places`; those without a place stay behind, as they come. */
export function inOrder<T extends { readonly id: string }>(
  items: readonly T[],
  places: readonly string[],
): readonly T[] {
  const rank = new Map(places.map((id, index) => [id, index]));
  const rankOf = ({ id }: T): number => rank.get(id) ?? Infinity;
  return items
    .map((item, index) => ({ item, index }))
    .sort((a, b) => (rankOf(a.item) === rankOf(b.item) ? a.index - b.index : rankOf(a.item) - rankOf(b.item)))
    .map(({ item }) => item);
}

/** Places after `id` was put at `index` among the ids that are shown together. Those that are not shown keep theirs. */
export function withPlace(
  places: readonly string[],
  shown: readonly string[],
  id: string,
  index: number,
): readonly string[] {
  const others = shown.filter((one) => one !== id);
  const moved = [...others.slice(0, index), id, ...others.slice(index)];
  const isShown = new Set(moved);
  const known = new Set(places);
  const next = moved[Symbol.iterator]();
  // What is shown takes the places that it had together, in its new order.
  const kept = places.map((one) => (isShown.has(one) ? (next.next().value ?? one) : one));
  const added = moved.filter((one) => !known.has(one)).length;
  return [...kept, ...Array.from({ length: added }, () => next.next().value ?? '')].slice(0, maxPlaces);
}
