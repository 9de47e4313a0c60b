import { validate as at } from 'stdnum/lib/cjs/at/uid.js';
import { validate as be } from 'stdnum/lib/cjs/be/vat.js';
import { validate as bg } from 'stdnum/lib/cjs/bg/vat.js';
import { validate as cy } from 'stdnum/lib/cjs/cy/vat.js';
import { validate as cz } from 'stdnum/lib/cjs/cz/dic.js';
import { validate as de } from 'stdnum/lib/cjs/de/vat.js';
import { validate as dk } from 'stdnum/lib/cjs/dk/cvr.js';
import { validate as ee } from 'stdnum/lib/cjs/ee/kmkr.js';
import { validate as es } from 'stdnum/lib/cjs/es/nif.js';
import { validate as fi } from 'stdnum/lib/cjs/fi/alv.js';
import { validate as fr } from 'stdnum/lib/cjs/fr/tva.js';
import { validate as gb } from 'stdnum/lib/cjs/gb/vat.js';
import { validate as gr } from 'stdnum/lib/cjs/gr/vat.js';
import { validate as hr } from 'stdnum/lib/cjs/hr/oib.js';
import { validate as hu } from 'stdnum/lib/cjs/hu/anum.js';
import { validate as ie } from 'stdnum/lib/cjs/ie/vat.js';
import { validate as it } from 'stdnum/lib/cjs/it/iva.js';
import { validate as lt } from 'stdnum/lib/cjs/lt/pvm.js';
import { validate as lu } from 'stdnum/lib/cjs/lu/tva.js';
import { validate as lv } from 'stdnum/lib/cjs/lv/pvn.js';
import { validate as mt } from 'stdnum/lib/cjs/mt/vat.js';
import { validate as nl } from 'stdnum/lib/cjs/nl/btw.js';
import { validate as pl } from 'stdnum/lib/cjs/pl/nip.js';
import { validate as pt } from 'stdnum/lib/cjs/pt/nif.js';
import { validate as ro } from 'stdnum/lib/cjs/ro/cui.js';
import { validate as se } from 'stdnum/lib/cjs/se/vat.js';
import { validate as si } from 'stdnum/lib/cjs/si/ddv.js';
import { validate as sk } from 'stdnum/lib/cjs/sk/dph.js';
import { isoCountry } from './vat-territory.js';

type Validate = (digits: string) => { readonly isValid: boolean };

/** By prefix, of what follows it; Northern Ireland has the numbers of Great Britain. */
const rules: ReadonlyMap<string, Validate> = new Map(
  Object.entries({
    AT: at,
    BE: be,
    BG: bg,
    CY: cy,
    CZ: cz,
    DE: de,
    DK: dk,
    EE: ee,
    EL: gr,
    ES: es,
    FI: fi,
    FR: fr,
  }).concat(
    Object.entries({ HR: hr, HU: hu, IE: ie, IT: it, LT: lt, LU: lu, LV: lv, MT: mt, NL: nl, PL: pl, PT: pt, RO: ro }),
    Object.entries({ SE: se, SI: si, SK: sk, XI: gb }),
  ),
);

/** Of numbers that VIES knows. */
export const vatPrefixes = new RegExp(`^(?:${[...rules.keys()].join('|')})`);

/** Without spaces, dots and dashes: as registers write it. */
export function compactVatNumber(text: string): string {
  return text.toUpperCase().replace(/[\s.-]/g, '');
}

/** ISO 3166-1 alpha-2 of the country that gave a number of the EU or XI; null: of another. */
export function vatCountry(number: string): string | null {
  const prefix = number.slice(0, 2);
  if (prefix === 'XI') return 'GB';
  return rules.has(prefix) ? isoCountry(prefix) : null;
}

/** Format and check digits of compact numbers of the EU and XI; others only look like one. */
export function isVatNumber(number: string): boolean {
  const rest = number.slice(2);
  const validate = rules.get(number.slice(0, 2));
  if (validate) return /^[A-Z0-9+*]{2,13}$/.test(rest) && validate(rest).isValid;
  return /^[A-Z]{2}[A-Z0-9+*]{2,18}$/.test(number);
}
