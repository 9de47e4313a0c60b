import { useEffect, useMemo, useState } from 'react';
import { useServer } from '../server/server-context.js';
import { createMatcher } from './matcher.js';
import { plainText } from './sgr.js';
import type { Lines } from './use-line-view.js';

const contextLines = 3;

export function useLineSearch({ view, marked, showMarked }: Lines) {
  const { ring } = useServer().session;
  const [text, setText] = useState('');
  const [isFilter, setIsFilter] = useState(false);
  const [hasContext, setHasContext] = useState(false);
  const matcher = useMemo(() => createMatcher(text), [text]);
  useEffect(() => {
    view?.setFilter(isFilter ? matcher : null, hasContext ? contextLines : 0);
    view?.setSearch(isFilter && !hasContext ? null : matcher);
  }, [view, matcher, isFilter, hasContext]);
  const find = (step: 1 | -1): void => {
    if (!matcher || !view) return;
    const from = marked?.[0] ?? view.middleLine;
    for (let line = from + step; line >= ring.first && line < ring.next; line += step) {
      if (!matcher.test(plainText(ring.rawAt(line)))) continue;
      showMarked(line);
      return;
    }
  };
  return { text, setText, isFilter, setIsFilter, hasContext, setHasContext, find };
}

export type LineSearch = ReturnType<typeof useLineSearch>;
