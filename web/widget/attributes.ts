/** Attributes: those of the element that are the widget's parameters; the others are its page's, and say nothing to the widget. */

/** As the service reads them. */
export const PARAMETERS: readonly string[] = [
  ...['apiKey', 'mode', 'country', 'language', 'lang', 'partnerContext', 'redirectUrl', 'uuid'],
  ...['defaultFiat', 'defaultCrypto', 'defaultAmount', 'defaultPaymentMethod'],
  ...['onlyCryptos', 'onlyFiats', 'onlyOnramps', 'onlyCryptoNetworks', 'onlyPaymentMethods'],
  ...['wallets', 'networkWallets', 'walletAddressTags', 'isAddressEditable'],
  ...['themeName', 'primaryColor', 'secondaryColor', 'primaryTextColor', 'secondaryTextColor'],
  ...['cardColor', 'containerColor', 'borderRadius', 'widgetBorderRadius', 'fontFamily'],
];

/** `default-crypto="btc"` is `defaultCrypto=btc`. */
export function parametersIn(
  attributes: Iterable<{ name: string; value: string }>,
): [name: string, value: string][] {
  return [...attributes].flatMap(({ name, value }) => {
    const parameter = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return PARAMETERS.includes(parameter) ? [[parameter, value]] : [];
  });
}
