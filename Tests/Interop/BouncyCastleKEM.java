// sntrup761 by Bouncy Castle, for comparison: reads commands from standard input, one a line, all values in hexadecimal.
//   generate                              -> PUBLIC_KEY SECRET_KEY
//   encapsulate PUBLIC_KEY                -> CIPHERTEXT SECRET
//   decapsulate SECRET_KEY CIPHERTEXT     -> SECRET
// SECRET is as long as the library makes it; some versions give only the first bytes of the shared secret.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import org.bouncycastle.pqc.crypto.ntruprime.*;

public class BouncyCastleKEM {
  static final SNTRUPrimeParameters parameters = SNTRUPrimeParameters.sntrup761;
  static final SecureRandom random = new SecureRandom();
  static final HexFormat hex = HexFormat.of();

  public static void main(String[] arguments) throws Exception {
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = input.readLine()) != null; ) System.out.println(answer(line.split(" ")));
  }

  static String answer(String[] words) {
    switch (words[0]) {
      case "generate":
        var generator = new SNTRUPrimeKeyPairGenerator();
        generator.init(new SNTRUPrimeKeyGenerationParameters(random, parameters));
        var pair = generator.generateKeyPair();
        var publicKey = (SNTRUPrimePublicKeyParameters) pair.getPublic();
        var secretKey = (SNTRUPrimePrivateKeyParameters) pair.getPrivate();
        return hex.formatHex(publicKey.getEncoded()) + " " + hex.formatHex(secretKey.getEncoded());
      case "encapsulate":
        var peer = new SNTRUPrimePublicKeyParameters(parameters, hex.parseHex(words[1]));
        var made = new SNTRUPrimeKEMGenerator(random).generateEncapsulated(peer);
        return hex.formatHex(made.getEncapsulation()) + " " + hex.formatHex(made.getSecret());
      case "decapsulate":
        var key = hex.parseHex(words[1]);
        var own =
            new SNTRUPrimePrivateKeyParameters(
                parameters,
                Arrays.copyOfRange(key, 0, 191),
                Arrays.copyOfRange(key, 191, 382),
                Arrays.copyOfRange(key, 382, 1540),
                Arrays.copyOfRange(key, 1540, 1731),
                Arrays.copyOfRange(key, 1731, 1763));
        return hex.formatHex(new SNTRUPrimeKEMExtractor(own).extractSecret(hex.parseHex(words[2])));
      default:
        throw new IllegalArgumentException(words[0]);
    }
  }
}
