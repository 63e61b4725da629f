import java.io.FileInputStream;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Says of each file whether it is PDF/A-3b and PDF/UA-1 by veraPDF, and which clauses it breaks. */
public class Check {
    public static void main(String[] files) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        boolean good = true;
        for (String file : files) {
            good &= check(file, PDFAFlavour.PDFA_3_B, "PDF/A-3b");
            good &= check(file, PDFAFlavour.PDFUA_1, "PDF/UA-1");
        }
        System.exit(good ? 0 : 1);
    }

    private static boolean check(String file, PDFAFlavour flavour, String name) throws Exception {
        try (PDFAParser parser = Foundries.defaultInstance().createParser(new FileInputStream(file), flavour);
             PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, false)) {
            ValidationResult result = validator.validate(parser);
            System.out.println((result.isCompliant() ? "" : "NOT ") + name + " " + file);
            for (TestAssertion assertion : result.getTestAssertions()) {
                if (assertion.getStatus() == TestAssertion.Status.FAILED) {
                    System.out.println("  " + assertion.getRuleId().getClause() + "-" + assertion.getRuleId().getTestNumber()
                        + " " + assertion.getMessage());
                }
            }
            return result.isCompliant();
        }
    }
}
