import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Brand } from '@panel/client';
import { useI18n } from '../i18n/i18n.js';
import { useApi } from '../api/context.js';
import iconAddress from '../style/icon.svg';

const storageKey = 'panel-brand';
/** Across pages. */
const freshMs = 600_000;
/** Staff may move the time at any moment. */
const testClockMs = 10_000;

interface Stored {
  readonly brand: Brand;
  readonly at: number;
}

function readStored(): Stored | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? 'null') as Stored | null;
    return stored ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function storeBrand(brand: Brand): void {
  localStorage.setItem(storageKey, JSON.stringify({ brand, at: Date.now() } satisfies Stored));
}

function useBrand(): Brand | undefined {
  const api = useApi();
  const stored = readStored();
  const { data } = useQuery({
    queryKey: ['brand'],
    queryFn: async ({ signal }) => {
      const brand = (await api.call(async (client) => client.get('/brand', { signal }))).data;
      storeBrand(brand);
      return brand;
    },
    staleTime: freshMs,
    refetchInterval: stored?.brand.test_clock ? testClockMs : false,
    retry: false,
    ...(stored ? { initialData: stored.brand, initialDataUpdatedAt: stored.at } : {}),
  });
  return data;
}

const hexPattern = /^#[0-9a-f]{6}$/i;

/** White or black, by contrast (WCAG 2, relative luminance). */
function textOn(hex: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}

/** Texts keep their contrast by mixing with the text colour. */
function applyColours({ primary, accent }: Brand['colours']): void {
  const { style } = document.documentElement;
  const set = (name: string, value: string | null): void => {
    if (value === null) style.removeProperty(name);
    else style.setProperty(name, value);
  };
  const fill = primary !== null && hexPattern.test(primary) ? primary : null;
  const text = accent !== null && hexPattern.test(accent) ? accent : fill;
  set('--accent-fill', fill);
  set('--accent-fill-hover', fill === null ? null : `color-mix(in oklab, ${fill} 88%, ${textOn(fill)} 12%)`);
  set('--on-accent', fill === null ? null : textOn(fill));
  set(
    '--accent',
    text === null ? null : `light-dark(color-mix(in oklab, ${text} 45%, #000), color-mix(in oklab, ${text} 45%, #fff))`,
  );
  set('--accent-soft', text === null ? null : `color-mix(in oklab, ${text} 12%, var(--surface))`);
}

export function BrandMark() {
  const { t } = useI18n();
  const brand = useBrand();
  useEffect(() => {
    if (brand) applyColours(brand.colours);
  }, [brand]);
  return (
    <>
      <img src={brand?.logo ?? iconAddress} alt="" />
      {brand?.name ?? t('brand.name')}
    </>
  );
}

/** Only where staff may move the time. */
export function TestClock() {
  const { t, date } = useI18n();
  const brand = useBrand();
  return brand?.test_clock ? (
    <div className="bar">
      {t('state.test-clock')} {date(brand.test_clock)}
    </div>
  ) : null;
}
