import { useI18n } from '../i18n/i18n.js';
import { signInTexts } from '../i18n/texts/sign-in/sign-in-texts.js';
import { withTexts } from '../i18n/with-texts.js';
import { SignInDialog as EndedSignIn } from '../sign-in/sign-in-dialog.js';
import { SignIn } from '../sign-in/sign-in.js';
import { BrandMark } from '../ui/brand.js';
import { LocaleSelect, ThemeButton } from '../ui/preferences.js';

// One bundle: page and dialog have the same steps.
export const SignInDialog = withTexts([signInTexts], EndedSignIn);

/** Shown at every address while signed out; the address opens afterwards. */
export const SignInPage = withTexts([signInTexts], SignInCard);

function SignInCard() {
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
