import type { Invoice } from '@panel/client';
import { expect } from 'chai';
import { findViolations } from './checks.js';
import type { Scene } from './scene.js';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const documentOf = (number: string | null, total = 119): Partial<Invoice> => ({
  id: 'a',
  number,
  status: 'paid',
  issued_at: '2026-01-05T00:00:00.000Z',
  items: [{ service_id: 's' }] as never,
  taxes: [{ rate: 19, net: eur(total - 19), tax: eur(19), total: eur(total) }],
});

describe('the checks after a story', () => {
  interface Facts {
    readonly invoices: readonly Partial<Invoice>[];
    readonly balance: number;
    readonly reported: number;
    readonly open: number;
    readonly discrepancies: readonly object[];
  }
  const right: Facts = {
    invoices: [documentOf('R-000001'), documentOf('R-000002')],
    balance: 70,
    reported: 238,
    open: 0,
    discrepancies: [],
  };
  const found = async (change: Partial<Facts>) => {
    const facts = { ...right, ...change };
    const answers: Record<string, object> = {
      '/billing/credits': { balance: facts.balance, entries: [{ amount: eur(100) }, { amount: eur(-30) }] },
      '/admin/billing/reports/tax': { rows: [{ net: facts.reported - 38, tax: 38, total: facts.reported }] },
      '/admin/billing/reports/open-invoices': { rows: Array.from({ length: facts.open }, () => ({})) },
      '/admin/billing/reports/discrepancies': { discrepancies: facts.discrepancies },
    };
    const client = { get: async (path: string) => ({ data: answers[path] }) };
    const scene = { invoices: async () => facts.invoices, panel: { admin: client }, customer: { panel: client } };
    return findViolations(scene as unknown as Scene);
  };

  it('finds nothing where everything agrees', async () => {
    expect(await found({})).to.deep.equal([]);
  });

  it('finds a gap in the numbers, and a document without one', async () => {
    const taxed = [documentOf('R-000001'), documentOf('R-000003')];
    expect(await found({ invoices: taxed })).to.deep.equal(['the numbers of R- have gaps: 1, 3']);
    const [problem] = await found({ invoices: [documentOf('R-000001'), documentOf(null)] });
    expect(problem).to.equal('the document a has no number');
  });

  it('finds a balance that is not the sum of the ledger', async () => {
    expect(await found({ balance: 71 })).to.deep.equal(['the entries of the ledger make 70, the balance is 71']);
  });

  it('finds reports that do not agree with the documents', async () => {
    const [tax] = await found({ reported: 237 });
    expect(tax).to.equal('the tax report says net 199, tax 38, total 237, the documents net 200, tax 38, total 238');
    const [open] = await found({ open: 1 });
    expect(open).to.equal('the report of open invoices has 1, the customer 0');
  });

  it('finds what the reconciliation has found', async () => {
    const discrepancy = { kind: 'ledger_mismatch', detail: 'by 5' };
    const [problem] = await found({ discrepancies: [discrepancy] });
    expect(problem).to.equal('the reconciliation found ledger_mismatch: by 5');
  });
});
