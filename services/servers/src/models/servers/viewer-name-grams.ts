import type { Changes } from './conditional-update.js';
import { searchTrigrams } from './name-search.js';

/*
 * `<viewer>:<part of the name>`: one index finds a part among the servers of one user, in the order of creation.
 * Servers whose viewers and parts are too many for one entry each have `<viewer>:*`.
 */

const maxEntries = 512;
/** A part of three characters has as many bytes at least; one of two that has them too costs an entry. */
const gramBytes = 3;
const anyName = '*';

/** As `viewerNameGramsStage`. */
export function viewerNameGramsOf(viewerIds: readonly string[], nameTrigrams: readonly string[]): string[] {
  const grams = nameTrigrams.filter((gram) => Buffer.byteLength(gram) >= gramBytes);
  const parts = viewerIds.length * grams.length > maxEntries ? [anyName] : grams;
  return viewerIds.flatMap((viewerId) => parts.map((part) => `${viewerId}:${part}`));
}

/** After changes of viewers or name. */
export const viewerNameGramsStage: Changes = {
  viewerNameGrams: {
    $let: {
      vars: {
        grams: { $filter: { input: '$nameTrigrams', cond: { $gte: [{ $strLenBytes: '$$this' }, gramBytes] } } },
      },
      in: {
        $let: {
          vars: {
            parts: {
              $cond: [
                { $gt: [{ $multiply: [{ $size: '$viewerIds' }, { $size: '$$grams' }] }, maxEntries] },
                [anyName],
                '$$grams',
              ],
            },
          },
          in: {
            $reduce: {
              input: '$viewerIds',
              initialValue: [],
              in: {
                $concatArrays: [
                  '$$value',
                  {
                    $let: {
                      vars: { viewer: '$$this' },
                      in: { $map: { input: '$$parts', in: { $concat: ['$$viewer', ':', '$$this'] } } },
                    },
                  },
                ],
              },
            },
          },
        },
      },
    },
  },
};

/** Every match has one of these entries; null for a text that is too short. */
export function viewerNameGramsFor(viewerId: string, text: string): string[] | null {
  // names of one user begin alike more often than they end alike
  const gram = searchTrigrams(text).at(-1);
  return gram === undefined || gram.length < 3 ? null : [`${viewerId}:${gram}`, `${viewerId}:${anyName}`];
}
