#!/bin/sh
# Recreates the workbooks in this folder with the programs that users have. On Debian:
#   apt-get install --no-install-recommends libreoffice-calc gnumeric python3-openpyxl python3-xlsxwriter
#   sh e2e/workbooks/make.sh
# The files contain the current time, so their bytes differ between runs. The visible content is the same.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

/usr/bin/python3 "$here/make.py" "$here"

# LibreOffice and Gnumeric open XlsxWriter's files, compute the formulas and save the result.
office() {
  soffice "-env:UserInstallation=file://$place/profile" --headless --convert-to "$1" --outdir "$place" "$2" >/dev/null
}
for name in everything 1904; do
  office 'xlsx:Calc MS Excel 2007 XML' "$here/xlsxwriter-$name.xlsx"
  mv "$place/xlsxwriter-$name.xlsx" "$here/libreoffice-$name.xlsx"
  office ods "$here/xlsxwriter-$name.xlsx"
  mv "$place/xlsxwriter-$name.ods" "$here/libreoffice-$name.ods"
  ssconvert --export-type=Gnumeric_Excel:xlsx "$here/xlsxwriter-$name.xlsx" "$here/gnumeric-$name.xlsx" 2>/dev/null
  ssconvert --export-type=Gnumeric_OpenCalc:odf "$here/xlsxwriter-$name.xlsx" "$here/gnumeric-$name.ods" 2>/dev/null
done
office ods "$here/openpyxl-empty.xlsx"
mv "$place/openpyxl-empty.ods" "$here/libreoffice-empty.ods"
