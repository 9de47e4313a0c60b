import type { EInvoice } from '../domain/e-invoice.js';

/** In a PDF: Factur-X, which Germany calls ZUGFeRD. */
export interface EInvoiceAttachment {
  readonly profile: EInvoice['profile'];
  readonly xml: string;
}

interface FacturX {
  readonly fileName: string;
  /** Of the metadata. */
  readonly level: string;
  readonly version: string;
}

/** Names of Factur-X 1.07.3. */
export const facturX: Readonly<Record<EInvoice['profile'], FacturX>> = {
  en16931: { fileName: 'factur-x.xml', level: 'EN 16931', version: '1.0' },
  xrechnung: { fileName: 'xrechnung.xml', level: 'XRECHNUNG', version: '3.0' },
};

const properties = [
  ['DocumentFileName', 'The name of the embedded XML document'],
  ['DocumentType', 'The type of the hybrid document in capital letters'],
  ['Version', 'The actual version of the standard applying to the embedded XML document'],
  ['ConformanceLevel', 'The conformance level of the embedded XML document'],
] as const;

/** XMP: what is attached, and the extension schema by which PDF/A allows to say so. */
export function facturXMetadata(profile: EInvoice['profile']): string {
  const { fileName, level, version } = facturX[profile];
  const described = properties.map(
    ([name, description]) => `
                <rdf:li rdf:parseType="Resource">
                  <pdfaProperty:name>${name}</pdfaProperty:name>
                  <pdfaProperty:valueType>Text</pdfaProperty:valueType>
                  <pdfaProperty:category>external</pdfaProperty:category>
                  <pdfaProperty:description>${description}</pdfaProperty:description>
                </rdf:li>`,
  );
  return `
    <rdf:Description rdf:about="" xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#">
      <fx:DocumentType>INVOICE</fx:DocumentType>
      <fx:DocumentFileName>${fileName}</fx:DocumentFileName>
      <fx:Version>${version}</fx:Version>
      <fx:ConformanceLevel>${level}</fx:ConformanceLevel>
    </rdf:Description>
    <rdf:Description rdf:about=""
        xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
        xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
        xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
      <pdfaExtension:schemas>
        <rdf:Bag>
          <rdf:li rdf:parseType="Resource">
            <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
            <pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI>
            <pdfaSchema:prefix>fx</pdfaSchema:prefix>
            <pdfaSchema:property>
              <rdf:Seq>${described.join('')}
              </rdf:Seq>
            </pdfaSchema:property>
          </rdf:li>
        </rdf:Bag>
      </pdfaExtension:schemas>
    </rdf:Description>`;
}
