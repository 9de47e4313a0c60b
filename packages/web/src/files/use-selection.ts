import { useRef, useState } from 'react';
import type { Listing } from './listing.js';

export function useSelection(listing: Pick<Listing, 'entryAt' | 'total'>) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const lastIndex = useRef(0);
  /** Adds the loaded entries between two rows. */
  const selectRange = (one: number, other: number): void => {
    const names = new Set(selected);
    for (let at = Math.min(one, other); at <= Math.max(one, other); at++) {
      const entry = listing.entryAt(at);
      if (entry) names.add(entry.name);
    }
    lastIndex.current = other;
    setSelected(names);
  };
  const select = (name: string, isRange: boolean, index: number): void => {
    if (isRange) {
      selectRange(lastIndex.current, index);
      return;
    }
    lastIndex.current = index;
    setSelected(new Set(selected.has(name) ? [...selected].filter((one) => one !== name) : [...selected, name]));
  };
  return {
    selected,
    select,
    selectRange,
    selectAll: () => selectRange(0, listing.total - 1),
    clear: () => setSelected(new Set()),
  };
}
