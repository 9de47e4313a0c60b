import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';

/** Of the address, decoded once: wouter's own hook decodes twice, so that `f%62.txt` becomes `fb.txt`. */
export function useSearchParams(): readonly [
  URLSearchParams,
  (next: Readonly<Record<string, string>>, options?: { readonly replace?: boolean }) => void,
] {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const parameters = useMemo(() => new URLSearchParams(search), [search]);
  return [
    parameters,
    (next, options) => {
      const query = new URLSearchParams(next).toString();
      navigate(query === '' ? path : `${path}?${query}`, options);
    },
  ];
}
