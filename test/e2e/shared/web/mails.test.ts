import { expect } from 'chai';
import { sharedStack } from '../../support/shared-stack.js';
import { type SharedStack } from '../../support/stack.js';
import { keepScreenshot, openWeb, type WebPage } from '../../support/web.js';

const widths = [360, 800];
/** Without a place to break. */
const longName = 'W'.repeat(100);

/** Pixels beyond the edges of the window, and whether the button is wholly inside of it. */
const measure = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const button = document.querySelector('a');
  const { left, right, height } = button?.getBoundingClientRect() ?? { left: 0, right: 1, height: 1 };
  return { overflow: scrollWidth - clientWidth, isVisible: left >= 0 && right <= clientWidth && right > left && height > 0 };
})()`;

describe('mails in a browser', function () {
  this.timeout(240_000);
  let test: SharedStack;
  let web: WebPage;

  before(async function () {
    test = await sharedStack();
    await test.admin.put('/admin/settings', { body: { general: { name: longName } } });
    web = await openWeb(this, test);
  });
  afterEach(async function () {
    await keepScreenshot(this, web);
  });
  after(async () => web?.close());

  for (const language of ['en', 'de', 'ar']) {
    it(`shows every mail in ${language} without a sideways scroll, and its button`, async () => {
      const { data } = await test.admin.get('/admin/settings/mail/templates');
      for (const name of data.names) {
        const of = { params: { name }, query: { language } };
        const { data: mail } = await test.admin.get('/admin/settings/mail/templates/{name}', of);
        await web.page.setContent(mail.html);
        for (const width of widths) {
          await web.page.setViewportSize({ width, height: 800 });
          const found = await web.page.evaluate(measure);
          expect(found, `${name} at ${width}`).to.deep.equal({ overflow: 0, isVisible: true });
        }
      }
    });
  }
});
