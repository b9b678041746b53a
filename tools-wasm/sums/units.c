#include "units.h"

#include <string.h>

// The factors are exact by definition: the international yard and pound (1959), the US gallon of 231 cubic inches, the
// metric cup and spoons of cooking as the US customary ones, the nautical mile of 1852 m.
static const unit units[] = {
    {"length", "|metres|metre|meters|meter|m|", "1", ""},
    {"length", "|kilometres|kilometre|kilometers|kilometer|kilometern|km|", "1000", ""},
    {"length", "|centimetres|centimetre|centimeters|centimeter|zentimeter|zentimetern|cm|", "0.01", ""},
    {"length", "|millimetres|millimetre|millimeters|millimeter|millimetern|mm|", "0.001", ""},
    {"length", "|miles|mile|mi|meilen|meile|", "1609.344", ""},
    {"length", "|yards|yard|yd|", "0.9144", ""},
    {"length", "|feet|foot|ft|fuß|fuss|", "0.3048", ""},
    {"length", "|inches|inch|in|zoll|", "0.0254", ""},
    {"length", "|nautical miles|nautical mile|nmi|seemeilen|seemeile|", "1852", ""},
    {"mass", "|kilograms|kilogram|kilogrammes|kilogramme|kilogramm|kilos|kilo|kg|", "1", ""},
    {"mass", "|grams|gram|grammes|gramme|gramm|g|", "0.001", ""},
    {"mass", "|milligrams|milligram|milligramm|mg|", "0.000001", ""},
    {"mass", "|tonnes|tonne|metric tons|metric ton|tonnen|t|", "1000", ""},
    {"mass", "|pounds|pound|lbs|lb|", "0.45359237", ""},
    {"mass", "|ounces|ounce|oz|unzen|unze|", "0.028349523125", ""},
    {"mass", "|stone|stones|st|", "6.35029318", ""},
    {"volume", "|litres|litre|liters|liter|litern|l|", "1", ""},
    {"volume", "|decilitres|decilitre|deciliters|deciliter|deziliter|dl|", "0.1", ""},
    {"volume", "|centilitres|centilitre|centiliters|centiliter|zentiliter|cl|", "0.01", ""},
    {"volume", "|millilitres|millilitre|milliliters|milliliter|millilitern|ml|", "0.001", ""},
    {"volume", "|cubic metres|cubic metre|cubic meters|cubic meter|kubikmeter|m3|m³|", "1000", ""},
    {"volume", "|teaspoons|teaspoon|tsp|teelöffel|", "0.00492892159375", ""},
    {"volume", "|tablespoons|tablespoon|tbsp|esslöffel|", "0.01478676478125", ""},
    {"volume", "|fluid ounces|fluid ounce|fl oz|", "0.0295735295625", ""},
    {"volume", "|cups|cup|tassen|tasse|", "0.2365882365", ""},
    {"volume", "|pints|pint|pt|", "0.473176473", ""},
    {"volume", "|quarts|quart|qt|", "0.946352946", ""},
    {"volume", "|gallons|gallon|gal|gallonen|gallone|", "3.785411784", ""},
    {"temperature", "|degrees Celsius|degrees celsius|degree celsius|celsius|centigrade|grad celsius|°c|c|", "1", ""},
    {"temperature", "|degrees Fahrenheit|degrees fahrenheit|degree fahrenheit|fahrenheit|grad fahrenheit|°f|f|", "5/9", "32"},
    {"temperature", "|kelvin|kelvins|k|", "1", "273.15"},
    {"time", "|seconds|second|secs|sec|s|sekunden|sekunde|", "1", ""},
    {"time", "|milliseconds|millisecond|ms|millisekunden|millisekunde|", "0.001", ""},
    {"time", "|minutes|minute|mins|min|minuten|", "60", ""},
    {"time", "|hours|hour|hrs|h|stunden|stunde|", "3600", ""},
    {"time", "|days|day|tage|tagen|tag|", "86400", ""},
    {"time", "|weeks|week|wochen|woche|", "604800", ""},
    {"data", "|bytes|byte|b|", "1", ""},
    {"data", "|bits|bit|", "0.125", ""},
    {"data", "|kilobytes|kilobyte|kb|", "1000", ""},
    {"data", "|megabytes|megabyte|mb|", "1000000", ""},
    {"data", "|gigabytes|gigabyte|gb|", "1000000000", ""},
    {"data", "|terabytes|terabyte|tb|", "1000000000000", ""},
    {"data", "|kibibytes|kibibyte|kib|", "1024", ""},
    {"data", "|mebibytes|mebibyte|mib|", "1048576", ""},
    {"data", "|gibibytes|gibibyte|gib|", "1073741824", ""},
    {"speed", "|kilometres per hour|kilometers per hour|kilometer pro stunde|stundenkilometer|km/h|kmh|kph|", "5/18", ""},
    {"speed", "|miles per hour|meilen pro stunde|mph|", "0.44704", ""},
    {"speed", "|metres per second|meters per second|meter pro sekunde|m/s|", "1", ""},
    {"speed", "|knots|knot|knoten|kn|", "463/900", ""},
    {"area", "|square metres|square metre|square meters|square meter|quadratmeter|m2|m²|", "1", ""},
    {"area", "|square feet|square foot|quadratfuß|ft2|", "0.09290304", ""},
    {"area", "|hectares|hectare|hektar|ha|", "10000", ""},
    {"area", "|acres|acre|", "4046.8564224", ""},
    {"area", "|square kilometres|square kilometers|quadratkilometer|km2|km²|", "1000000", ""},
};

const unit *find_unit(const char *name) {
  char wanted[64] = "|";
  size_t length = strlen(name);
  if (length == 0 || length > sizeof wanted - 3 || strchr(name, '|')) return NULL;
  for (size_t i = 0; i < length; i++) wanted[i + 1] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
  wanted[length + 1] = '|';
  for (const unit *u = units; u < units + sizeof units / sizeof *units; u++) {
    if (strstr(u->names, wanted)) return u;
  }
  return NULL;
}

static decimal factor(const unit *u, bool below) {
  decimal value = from_int(1);
  const char *at = read_decimal(u->factor, &value);
  bool quotient = at && *at == '/';
  if (!below) return value;
  decimal divisor = from_int(1);
  if (quotient) read_decimal(at + 1, &divisor);
  return divisor;
}

static decimal zero(const unit *u) {
  decimal value = {0};
  read_decimal(u->zero, &value);
  return value;
}

bool convert(decimal value, const unit *from, const unit *to, decimal *result) {
  decimal above = {0}, below = {0};
  return add(value, negated(zero(from)), &value) && multiply(value, factor(from, false), &above) && multiply(above, factor(to, true), &above) &&
         multiply(factor(from, true), factor(to, false), &below) && divide(above, below, &value) && add(value, zero(to), result);
}
