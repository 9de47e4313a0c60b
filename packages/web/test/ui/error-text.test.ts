import { expect } from 'chai';
import { ApiError, type PanelClient } from '@panel/client';
import { CallLog } from '../../src/api/recorder.js';
import { createI18n, type I18n, type Locale } from '../../src/i18n/i18n.js';
import { commonTexts } from '../../src/i18n/texts/common/common-texts.js';
import { errorText } from '../../src/ui/states.js';

async function i18nOf(locale: Locale): Promise<I18n> {
  return createI18n(locale, await commonTexts.loaders[locale](), () => undefined);
}

/** As nginx refuses a body above `client_max_body_size`. */
const refusal = ApiError.from(new Response(null, { status: 413 }), '<html>413 Request Entity Too Large</html>');

/** What a call fails with behind such a proxy. */
async function refused(call: (client: PanelClient) => Promise<unknown>): Promise<unknown> {
  const refuse = async (): Promise<never> => {
    throw refusal;
  };
  const client = new CallLog().record({ put: refuse, post: refuse } as unknown as PanelClient);
  return call(client).catch((error: unknown) => error);
}

const params = { id: 'server', db_id: 'database' };
const save = async (content: string) =>
  refused(async (client) => client.put('/servers/{id}/files/write', { params, body: { path: '/a.yml', content } }));
const importDump = async (size: number) =>
  refused(async (client) =>
    client.post('/servers/{id}/databases/{db-id}/import', { params, bytes: new Uint8Array(size) }),
  );

describe('the text of a request that a proxy refuses as too large', () => {
  it('names the size of the request and what its operator does', async () => {
    const en = await i18nOf('en');
    expect(errorText(await save('ä'.repeat(1024 ** 2)), en))
      .to.contain('this request of 2 MiB')
      .and.contain('client_max_body_size');
    expect(errorText(await importDump(1.5 * 1024 ** 2), en)).to.contain('of 1.5 MiB');
    for (const locale of ['de', 'ar'] as const) {
      const i18n = await i18nOf(locale);
      const text = errorText(await importDump(3 * 1024 ** 2), i18n);
      expect(text).to.contain(i18n.bytes(3 * 1024 ** 2));
    }
  });

  it('says that even small requests are refused where one of 64 KiB is', async () => {
    const text = errorText(await importDump(64 * 1024), await i18nOf('en'));
    expect(text).to.contain('even small requests');
  });
});
