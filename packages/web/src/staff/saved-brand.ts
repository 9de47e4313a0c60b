import { useQueryClient } from '@tanstack/react-query';
import type { Brand, Settings } from '@panel/client';
import { storeBrand } from '../ui/brand.js';

/** At once, because the panel's answers lag some seconds. */
export function useSavedBrand(): (settings: Settings) => void {
  const queries = useQueryClient();
  return ({ brand: { name, logo, primary_colour, accent_colour }, general }) => {
    const brand: Brand = {
      name: name || general.name || 'Panel',
      logo: logo || null,
      colours: { primary: primary_colour || null, accent: accent_colour || null },
      test_clock: null,
    };
    storeBrand(brand);
    queries.setQueryData(['brand'], brand);
  };
}
