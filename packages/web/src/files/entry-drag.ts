import { type DragEvent, type HTMLAttributes, useState } from 'react';
import { isWithin, joinPath } from './paths.js';

type Handlers = HTMLAttributes<HTMLElement> & { readonly 'data-target'?: true | undefined };

export interface EntryDrag {
  /** Drag source: an entry, with all others when selected. */
  readonly source: (name: string) => Handlers;
  readonly target: (name: string) => Handlers;
  readonly targetPath: (path: string) => Handlers;
}

interface EntryDragOptions {
  readonly directory: string;
  readonly selected: ReadonlySet<string>;
  readonly isAllowed: boolean;
  readonly onMove: (names: readonly string[], to: string) => void;
}

export function useEntryDrag({ directory, selected, isAllowed, onMove }: EntryDragOptions): EntryDrag {
  const [names, setNames] = useState<readonly string[]>([]);
  const [over, setOver] = useState<string | null>(null);
  const takes = (path: string): boolean =>
    names.length > 0 && !names.some((name) => isWithin(joinPath(directory, name), path));
  const targetPath = (path: string): Handlers => ({
    'data-target': (over === path && takes(path)) || undefined,
    onDragOver: (event: DragEvent) => {
      if (!takes(path)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
      setOver(path);
    },
    onDragLeave: () => setOver(null),
    onDrop: (event: DragEvent) => {
      setOver(null);
      if (!takes(path)) return;
      event.preventDefault();
      onMove(names, path);
    },
  });
  return {
    source: (name) => ({
      draggable: isAllowed,
      onDragStart: ({ dataTransfer }: DragEvent) => {
        const dragged = selected.has(name) ? [...selected] : [name];
        dataTransfer.setData('text/plain', dragged.map((one) => joinPath(directory, one)).join('\n'));
        dataTransfer.effectAllowed = 'move';
        setNames(dragged);
      },
      onDragEnd: () => {
        setNames([]);
        setOver(null);
      },
    }),
    target: (name) => targetPath(joinPath(directory, name)),
    targetPath,
  };
}
