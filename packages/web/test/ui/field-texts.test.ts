import { expect } from 'chai';
import { ApiError } from '@panel/client';
import { createI18n, type Locale } from '../../src/i18n/i18n.js';
import { refusedField } from '../../src/api/errors.js';
import { errorTexts } from '../../src/i18n/texts/errors/errors-texts.js';
import { fieldTexts } from '../../src/ui/states.js';

async function textIn(locale: Locale, reason: string): Promise<string> {
  const i18n = createI18n(locale, await errorTexts.loaders[locale](), () => undefined);
  const error = {
    code: 'validation_error',
    message: '',
    details: { ports: ['is no port'] },
    reasons: { ports: [reason] },
  };
  return fieldTexts(ApiError.from(new Response(null, { status: 422 }), { error }), i18n).ports?.join() ?? '';
}

describe('what is wrong with a field', () => {
  it('speaks the language of the reader, with the words of the panel behind it', async () => {
    expect(await textIn('de', 'invalid')).to.equal('passt nicht (is no port)');
    expect(await textIn('ar', 'out_of_range')).to.match(/^.+ \(\u2068is no port\u2069\)$/);
    expect(await textIn('en', 'invalid')).to.equal('is no port');
  });

  it('shows once what the page itself refuses', async () => {
    const i18n = createI18n('de', await errorTexts.loaders.de(), () => undefined);
    expect(fieldTexts(refusedField('password', 'stimmt nicht überein'), i18n).password).to.deep.equal([
      'stimmt nicht überein',
    ]);
  });

  it('speaks of another rule where the reason is that of a newer panel', async () => {
    expect(await textIn('de', 'of_a_newer_panel')).to.equal(await textIn('de', 'invalid'));
  });
});
