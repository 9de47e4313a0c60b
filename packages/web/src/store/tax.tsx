import type { Cart } from '@panel/client';
import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.js';

type Taxed = Pick<Cart, 'tax' | 'taxes' | 'tax_treatment'>;

/** Tax by rate, or why there is none. */
export function useTaxFacts(): (taxed: Taxed) => (readonly [string, ReactNode])[] {
  const { t, maybe, money, number } = useI18n();
  return ({ tax, taxes, tax_treatment }) => {
    if (tax_treatment !== 'standard') return [[t('store.tax'), maybe(`store.tax-${tax_treatment}`, tax_treatment)]];
    if (taxes.length === 0) return [[t('store.tax'), money(tax)]];
    const percent = (rate: number): string => number(rate, { maximumFractionDigits: 2 });
    return taxes.map((line) => [`${t('store.tax')} (${percent(line.rate)} %)`, money(line.tax)]);
  };
}
