import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Evaluated in every document to check: the policy forbids added scripts. */
export async function readAxe(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}

/** What axe finds in a document that has it; one line each. */
export async function axeFindings(page: Page, name: string, options: object = {}): Promise<string[]> {
  const run = JSON.stringify({ resultTypes: ['violations'], preload: false, ...options });
  const { violations } = await page.evaluate<{ violations: Finding[] }>(`axe.run(document, ${run})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${name}: ${id}: ${html} ${failureSummary}`),
  );
}
