import { useI18n } from '../i18n/i18n.js';
import { SignIn } from '../sign-in/sign-in.js';
import { BrandMark } from '../ui/brand.js';
import { LocaleSelect, ThemeButton } from '../ui/preferences.js';

// One bundle: page and dialog have the same steps.
export { SignInDialog } from '../sign-in/sign-in-dialog.js';

/** Shown at every address while signed out; the address opens afterwards. */
export function SignInPage() {
  const { t } = useI18n();
  return (
    <main className="centre" id="main">
      <title>{t('sign-in.title')}</title>
      <div className="card">
        <div className="brand">
          <BrandMark />
        </div>
        <SignIn />
        <div className="row">
          <LocaleSelect />
          <ThemeButton />
        </div>
      </div>
    </main>
  );
}
