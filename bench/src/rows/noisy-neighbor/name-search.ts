import type { Part } from './part.js';

const atOnce = 8;
/** Parts of most names, of some, and of none. */
const texts = ['server', 'er 0', '00', '1', 'server 99999'];
const pages = 20;

/** The customer has 1,000 servers, whose names have most parts in common. */
export const nameSearch: Part = {
  name: "searches for servers' names",
  prepare: async ({ customer }) => {
    let sent = 0;
    const next = () => {
      const query = `search=${encodeURIComponent(texts[sent % texts.length] ?? '')}&page=${1 + (sent++ % pages)}`;
      return { path: `/servers?${query}` };
    };
    const act = async (signal: AbortSignal) =>
      customer.repeat(atOnce, signal, async () => customer.send(next(), signal));
    return Promise.resolve({ act });
  },
};
