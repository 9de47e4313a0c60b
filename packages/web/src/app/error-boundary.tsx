import { Component, type ReactNode } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from '../ui/button.js';

interface Props {
  readonly children: ReactNode;
}

export class ErrorBoundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : <Broken error={this.state.error} />;
  }
}

/** An update removes the old version's files. */
function Broken({ error }: { readonly error: unknown }) {
  const { t } = useI18n();
  const isUpdate = error instanceof TypeError && /import/i.test(error.message);
  return (
    <main className="page" id="main">
      <div className="note" data-kind={isUpdate ? 'warning' : 'error'} role="alert">
        <div>
          <p>{isUpdate ? t('broken.update') : t('broken.page')}</p>
          <Button kind="primary" onClick={() => location.reload()}>
            {t('action.reload')}
          </Button>
        </div>
      </div>
    </main>
  );
}
