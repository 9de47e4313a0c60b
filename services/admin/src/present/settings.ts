import { enumOf } from '@panel/kit/records';
import {
  BillingSettings_TaxScheme,
  BillingSettings_VatCheck,
  MailSettings_Driver,
  MailSettings_Encryption,
  SecuritySettings_RequireTwoFactor,
  type Settings as SettingsMessage,
} from '@panel/protos/admin';
import type { Settings } from '../domain/settings.js';

/** Complete message; the logo is optional. */
export function presentSettings(settings: Settings, withLogo = true): SettingsMessage {
  const { mail, security, billing, brand } = settings;
  return {
    ...settings,
    mail: {
      ...mail,
      driver: enumOf(MailSettings_Driver, mail.driver),
      encryption: enumOf(MailSettings_Encryption, mail.encryption),
    },
    security: {
      ...security,
      requireTwoFactor: enumOf(SecuritySettings_RequireTwoFactor, security.requireTwoFactor),
    },
    billing: {
      ...billing,
      taxScheme: enumOf(BillingSettings_TaxScheme, billing.taxScheme),
      vatCheck: enumOf(BillingSettings_VatCheck, billing.vatCheck),
    },
    brand: { ...brand, logo: withLogo ? brand.logo : undefined },
  };
}
