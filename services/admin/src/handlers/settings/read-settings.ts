import type { Settings as SettingsMessage } from '@panel/protos/admin';
import type { SettingsInput } from '../../domain/settings.js';

/** Maps enums to words; unchecked. */
export function readSettings({ mail, security, billing, ...groups }: SettingsMessage): SettingsInput {
  return {
    ...groups,
    mail: mail && {
      ...mail,
      driver: mail.driver && wordOf('DRIVER_', mail.driver),
      encryption: mail.encryption && wordOf('ENCRYPTION_', mail.encryption),
    },
    billing: billing && {
      ...billing,
      taxScheme: billing.taxScheme && wordOf('TAX_SCHEME_', billing.taxScheme),
      vatCheck: billing.vatCheck && wordOf('VAT_CHECK_', billing.vatCheck),
    },
    security: security && {
      ...security,
      requireTwoFactor: security.requireTwoFactor && wordOf('REQUIRE_TWO_FACTOR_', security.requireTwoFactor),
    },
  };
}

/** "DRIVER_SMTP" is "smtp"; UNSPECIFIED gives an invalid word. */
function wordOf(prefix: string, value: string): string {
  return value.slice(prefix.length).toLowerCase();
}
