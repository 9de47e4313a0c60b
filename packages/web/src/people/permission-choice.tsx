import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';
import { useServer } from '../server/server-context.js';
import { permissionGroups, type ServerPermission } from './permissions.js';

interface PermissionChoiceProps {
  readonly chosen: readonly ServerPermission[];
  readonly problems: readonly string[] | undefined;
  readonly onChange: (chosen: ServerPermission[]) => void;
}

/** Permissions by area. Users cannot grant permissions they lack. */
export function PermissionChoice({ chosen, problems, onChange }: PermissionChoiceProps) {
  const { t } = useI18n();
  const { may, why } = useServer();
  const held = new Set(chosen);
  const set = (permissions: readonly ServerPermission[], isOn: boolean): void => {
    const others = chosen.filter((one) => !permissions.includes(one));
    onChange(isOn ? [...others, ...permissions] : others);
  };
  return (
    <>
      {problems ? (
        <p className="problem" role="alert">
          {problems.join(' ')}
        </p>
      ) : null}
      <div className="permissions">
        {permissionGroups.map(({ name, permissions }) => {
          const grantable = permissions.filter(may);
          const isWhole = grantable.length > 0 && grantable.every((one) => held.has(one));
          return (
            <fieldset key={name} className="group">
              <legend>{t(`permissions.${name}`)}</legend>
              {permissions.map((permission) => (
                <label key={permission} title={why(permission) ?? permission} data-off={!may(permission) || undefined}>
                  <input
                    type="checkbox"
                    checked={held.has(permission)}
                    disabled={!may(permission)}
                    onChange={({ target }) => set([permission], target.checked)}
                  />
                  {t(`permission.${permission}`)}
                </label>
              ))}
              <Button
                kind="quiet"
                why={grantable.length === 0 && t('people.cannot-grant')}
                onClick={() => set(grantable, !isWhole)}
              >
                {isWhole ? t('people.none-of-these') : t('people.all-of-these')}
              </Button>
            </fieldset>
          );
        })}
      </div>
    </>
  );
}
