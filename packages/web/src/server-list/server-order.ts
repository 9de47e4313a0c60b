/** Bound by the size limit of preferences. */
const maxPlaces = 300;

/** By position in `places`; others follow in their own order. */
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

/** Hidden ids keep their places. */
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
  // Visible ids take their former places in the new order.
  const retained = places.map((one) => (isShown.has(one) ? (next.next().value ?? one) : one));
  const added = moved.filter((one) => !known.has(one)).length;
  return [...retained, ...Array.from({ length: added }, () => next.next().value ?? '')].slice(0, maxPlaces);
}
