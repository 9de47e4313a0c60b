import type { WantedItem } from './quote.js';
import { type TaxRate, withTax } from './tax.js';
import { costOfHour, microsPerMinor } from './usage-price.js';

const depositHours = 24;
const secondsPerHour = 3_600;

/** Of metered items at their highest, without traffic, with tax; 0: none is metered. */
export function costOfDay(items: readonly Pick<WantedItem, 'plan' | 'product' | 'quantity'>[], rate: TaxRate): number {
  const metered = items.filter(({ plan }) => plan.interval === 'metered');
  const netMinor = metered.reduce((sum, item) => sum + item.quantity * dayOf(item), 0);
  return metered.length === 0 ? 0 : Math.max(1, withTax(netMinor, rate).totalMinor);
}

function dayOf({ plan: { usageRates }, product: { server } }: Pick<WantedItem, 'plan' | 'product'>): number {
  if (!usageRates) return 0;
  const full = {
    runningSeconds: secondsPerHour,
    memoryMbSeconds: server.memoryMb * secondsPerHour,
    diskMbSeconds: server.diskMb * secondsPerHour,
    trafficBytes: 0,
  };
  const dayMinor = Math.ceil((costOfHour(full, usageRates) * depositHours) / microsPerMinor);
  return usageRates.monthlyCapMinor === 0 ? dayMinor : Math.min(dayMinor, usageRates.monthlyCapMinor);
}
