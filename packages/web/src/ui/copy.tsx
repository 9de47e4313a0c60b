import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useI18n } from '../i18n/i18n.js';
import { Button } from './button.js';

export function CopyText({ text }: { readonly text: string }) {
  const { t } = useI18n();
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 2_000);
  };
  return (
    <span className="copy">
      <code>{text}</code>
      <Button
        kind="quiet"
        label={isCopied ? t('action.copied') : t('action.copy')}
        icon={isCopied ? <Check /> : <Copy />}
        onClick={() => void copy()}
      />
    </span>
  );
}
