import { useState } from 'react';

const settingsKey = 'panel-console';
const sizes = ['small', 'medium', 'large'] as const;

export interface ConsoleSettings {
  readonly isWrapped: boolean;
  readonly hasTimes: boolean;
  /** Equal lines are one with a count. */
  readonly isFolded: boolean;
  readonly size: (typeof sizes)[number];
}

function storedSettings(): ConsoleSettings {
  const stored: unknown = JSON.parse(localStorage.getItem(settingsKey) ?? '{}');
  const isNarrow = innerWidth < 700;
  const initial = { isWrapped: isNarrow, hasTimes: !isNarrow, isFolded: false, size: 'medium' } as const;
  return { ...initial, ...(stored as Partial<ConsoleSettings>) };
}

export function nextSize(size: ConsoleSettings['size']): ConsoleSettings['size'] {
  return sizes[(sizes.indexOf(size) + 1) % sizes.length] ?? 'medium';
}

export function useConsoleSettings() {
  const [settings, setSettings] = useState(storedSettings);
  const changeSettings = (change: Partial<ConsoleSettings>): void => {
    const next = { ...settings, ...change };
    localStorage.setItem(settingsKey, JSON.stringify(next));
    setSettings(next);
  };
  return { settings, changeSettings };
}
